#!/usr/bin/env bash
# Creates or updates the comment about the preview of a pull request. With --update-only no comment is created.
# Usage: comment.sh NUMBER TEXT [--update-only], with GH_TOKEN and GITHUB_REPOSITORY in the environment.
set -euo pipefail

marker='<!-- preview -->'
body="$marker
$2"
comments="repos/$GITHUB_REPOSITORY/issues/$1/comments"
filter=".[] | select(.user.login == \"github-actions[bot]\" and (.body | startswith(\"$marker\"))) | .id"

ids=$(gh api --paginate "$comments" --jq "$filter")
if [ -n "$ids" ]; then
  gh api --silent --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/${ids%%$'\n'*}" --raw-field "body=$body"
elif [ "${3:-}" != --update-only ]; then
  gh api --silent --method POST "$comments" --raw-field "body=$body"
fi
