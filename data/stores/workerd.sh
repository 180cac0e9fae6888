#!/bin/sh
# Runs workerd, and ends it when the process that started it has ended. A process that is killed cannot do so itself, nor remove
# its temporary files.
(
  while kill -0 "$PPID" && kill -0 $$; do sleep 1; done
  kill -KILL $$
  kill -0 "$PPID" || rm -rf -- "$WATCHED_FOLDER"
) <&- >&- 2>&- 3>&- &
exec "$WATCHED_WORKERD" "$@"
