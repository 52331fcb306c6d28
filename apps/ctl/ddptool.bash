# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Completion of ddptool for bash. A unit test compares the list below with the tool's own.

# Names in a folder.
_ddptool_names() {
	local path

	for path in "$1"/*; do
		[[ -e $path ]] && echo "${path##*/}"
	done
}

_ddptool() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	local words="-a -f -h -i -j -l -s -v -x"

	# bash splits an address at each ':'
	if declare -F _get_comp_words_by_ref >/dev/null; then
		_get_comp_words_by_ref -n : cur prev
	fi
	COMPREPLY=()
	case $prev in
	-f)
		words=$(ddpctl list 2>/dev/null | awk 'NR > 1 { print $1 }')
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		;;
	-i)
		words=$(_ddptool_names /sys/class/net)
		;;
	-j | -x)
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		;;
	-s)
		words=$(_ddptool_names /sys/bus/pci/devices)
		;;
	esac
	mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -W "$words" -- "$cur")
	if declare -F __ltrim_colon_completions >/dev/null; then
		__ltrim_colon_completions "$cur"
	fi
}

complete -F _ddptool ddptool
