#!/usr/bin/env bash
# Written by `stanchion install`; changes are lost. Form 1 for Cline.
# Cline reads the answer alone and ignores the exit status: a program that cannot answer blocks here.
if answer=$($LINE 2>/dev/null); then
    printf '%s\n' "${answer:-{\}}"
elif [ $? -eq 2 ] && [[ $answer == *'"cancel"'* ]]; then
    printf '%s\n' "$answer"
else
    printf '%s\n' '{"cancel":true,"errorMessage":"[stanchion] blocked, or the guard cannot answer; a person can run `stanchion doctor`"}'
fi
