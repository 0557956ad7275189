# source usage.sh LEAST "$@": the head of a script, up to its first line of code, says how it is called. It is printed for --help, and on standard error with status 2 where
# there are fewer arguments than LEAST.
_usage_least=$1
shift
_usage_head() { awk 'NR > 1 { if (!/^#/) exit; sub(/^# ?/, ""); print }' "$0"; }
case ${1:-} in
  -h | --help) _usage_head; exit 0 ;;
esac
if [ $# -lt "$_usage_least" ]; then
  { printf 'usage: %s takes %d argument%s at least\n' "$(basename "$0")" "$_usage_least" "$([ "$_usage_least" -eq 1 ] || echo s)"; _usage_head; } >&2
  exit 2
fi
