#!/usr/bin/env bash
# Writes the one comment of a pull request that tells of its preview, or writes it anew.
# Usage: comment.sh NUMBER TEXT [--if-there], with GH_TOKEN and GITHUB_REPOSITORY in the environment.
set -euo pipefail

marker='<!-- preview -->'
body="$marker
$2"
comments="repos/$GITHUB_REPOSITORY/issues/$1/comments"
own=".[] | select(.user.login == \"github-actions[bot]\" and (.body | startswith(\"$marker\"))) | .id"

ids=$(gh api --paginate "$comments" --jq "$own")
if [ -n "$ids" ]; then
  gh api --silent --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/${ids%%$'\n'*}" --raw-field "body=$body"
elif [ "${3:-}" != --if-there ]; then
  gh api --silent --method POST "$comments" --raw-field "body=$body"
fi
