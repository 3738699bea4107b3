#!/bin/sh
# Stands in for programs that are not on every machine or need rights: reads their options as their
# manuals say and runs what they would run.
name=${0##*/}
flags() { # steps over options; $1 lists those that take an argument in the next word
    takes=" $1 "
    shift
    while [ $# -gt 0 ]; do
        case $1 in
        --) shift; break ;;
        --*) case $takes in *" $1 "*) shift ;; esac; shift ;;
        -?*) last=${1#"${1%?}"}
            case $takes in
            *" $1 "*) shift ;;
            *" -$last "*) [ ${#1} -gt 2 ] && case $takes in *" -$(printf %.1s "${1#-}") "*) ;; *) shift ;; esac ;;
            esac
            shift ;;
        *) break ;;
        esac
    done
    left=$#
}
step() { flags "$@"; }
case $name in
sudo) step '-u -g -p -C -D -h -r -R -t -T -U --user --group' "$@"; shift $(($# - left))
    while case $1 in *=*) ;; *) false ;; esac; do export "${1?}"; shift; done ;;
doas) step '-u -a' "$@"; shift $(($# - left)) ;;
unbuffer | catchsegv | busybox | caffeinate | npx | strace | ltrace | xvfb-run | systemd-run | dbus-run-session)
    step '-t -w -o -e -p -n -u' "$@"; shift $(($# - left)) ;;
poetry | pipenv | uv | bundle) shift ;;
direnv) shift 2 ;;
mise) while [ "$1" != -- ]; do shift; done; shift ;;
docker | podman) shift; step '-u -e -w' "$@"; shift $(($# - left)); shift ;;
kubectl) while [ "$1" != -- ]; do shift; done; shift ;;
git) case $1 in bisect) shift 2 ;; rebase) exec sh -c "$3" ;; *) exit 0 ;; esac ;;
su | runuser) while [ "$1" != -c ]; do shift; done; exec sh -c "$2" ;;
watch) shift 2; exec sh -c "$*" ;;
entr) if [ "$1" = -s ]; then exec sh -c "$2"; fi ;;
fd) while [ "$1" != -x ]; do shift; done; shift
    if eval "[ \"\${$#}\" = ';' ]"; then exec "$1" "$2"; fi ;;
parallel)
    if [ "$1" = -j ]; then shift 2; fi
    text=
    while [ "$1" != ::: ]; do text="$text$1 "; shift; done
    shift
    [ -z "$text" ] && exec sh -c "$1"
    case $text in *{}*) exec sh -c "${text%%\{\}*}$1${text#*\{\}}" ;; *) exec sh -c "$text$1" ;; esac ;;
make) for word; do case $word in SHELL=*) exec "${word#SHELL=}" -c : ;; esac; done; exit 0 ;;
*) exit 0 ;;
esac
exec "$@"
