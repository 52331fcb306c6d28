# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Completion of ddptool for bash. A unit test compares the list below with the tool's own.

# Into COMPREPLY: names in a folder that begin with what is typed, quoted here: readline leaves a '$' as it is in what
# is no file. compgen -W is for words of this file only: it expands them, and would run a name such as $(reboot).
_ddptool_names() {
	local path name

	for path in "$1"/*; do
		printf -v name %q "${path##*/}"
		[[ ! -e $path || ( $name != "$cur"* && ${path##*/} != "$cur"* ) ]] || COMPREPLY+=("$name")
	done
}

_ddptool_files() {
	local name names

	mapfile -t names < <(compgen -f -- "$cur")
	for name in "${names[@]}"; do
		# not the lines of a name that has several
		[[ $name != '~'* && ! -e $name && ! -L $name ]] || COMPREPLY+=("$name")
	done
}

_ddptool() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} name names
	local words="-a -f -h -i -j -l -s -v -x"

	# bash splits an address at each ':'
	if declare -F _get_comp_words_by_ref >/dev/null; then
		_get_comp_words_by_ref -n : cur prev
	fi
	COMPREPLY=()
	case $prev in
	-f)
		words=
		mapfile -t names < <(ddpctl list 2>/dev/null | awk 'NR > 1 && $1 ~ /^[[:alnum:]_-]+$/ { print $1 }')
		for name in "${names[@]}"; do
			[[ $name != "$cur"* ]] || COMPREPLY+=("$name")
		done
		_ddptool_files
		;;
	-i)
		words=
		_ddptool_names /sys/class/net
		;;
	-j | -x)
		_ddptool_files
		;;
	-s)
		words=
		_ddptool_names /sys/bus/pci/devices
		;;
	esac
	mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -W "$words" -- "$cur")
	if [[ $prev == -[fjx] ]]; then
		compopt -o filenames # so that readline quotes them
	fi
	if declare -F __ltrim_colon_completions >/dev/null; then
		__ltrim_colon_completions "$cur"
	fi
}

complete -F _ddptool ddptool
