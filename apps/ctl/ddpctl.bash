# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Completion of ddpctl for bash: of what --help says.

# Into COMPREPLY: files, and profiles that are found by name. compgen -W is for words of ddpctl only: it expands
# them, and would run a name such as $(reboot). Readline quotes what it takes for names of files.
_ddpctl_files() {
	local name names

	mapfile -t names < <(ddpctl list 2>/dev/null | awk 'NR > 1 && $1 ~ /^[[:alnum:]_-]+$/ { print $1 }')
	for name in "${names[@]}"; do
		[[ $name != "$cur"* ]] || COMPREPLY+=("$name")
	done
	mapfile -t names < <(compgen -f -- "$cur")
	for name in "${names[@]}"; do
		# not the lines of a name that has several
		[[ $name != '~'* && ! -e $name && ! -L $name ]] || COMPREPLY+=("$name")
	done
	compopt -o filenames
}

_ddpctl() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	local help line words='' files='' given='' n=1
	local option='^  (-.,|   ) (--[a-z-]+)( [A-Z]+|\[=[A-Z]+\])?  +(.*)$' command='^  ([a-z]+)  '

	# bash splits --hash=toeplitz into three words
	if [[ $cur == = ]]; then
		given=yes
		cur=
	elif [[ $prev == = ]]; then
		given=yes
		prev=${COMP_WORDS[COMP_CWORD - 2]}
	fi

	help=$(COLUMNS=999 ddpctl --help 2>/dev/null)
	while [[ $help == *$'\ncommands:\n'* && $n -lt $COMP_CWORD ]]; do
		help=$(COLUMNS=999 ddpctl "${COMP_WORDS[@]:1:n}" --help 2>/dev/null)
		n=$((n + 1))
	done
	[[ ! ${help%%$'\n'*} =~ FILE|PCAP|PROFILE|PACKAGE ]] || files=yes
	while IFS= read -r line; do
		if [[ $line =~ $command ]]; then
			words+=" ${BASH_REMATCH[1]}"
		elif [[ $line =~ $option ]]; then
			words+=" ${BASH_REMATCH[2]}"
			if [[ (${BASH_REMATCH[3]} == ' '* || (-n $given && -n ${BASH_REMATCH[3]})) && ($prev == "${BASH_REMATCH[2]}" || $prev, == "${BASH_REMATCH[1]}") ]]; then
				words=
				files=
				[[ ${BASH_REMATCH[3]} != ' FILE' ]] || files=yes
				[[ $line != *'one of: '* ]] || words=${line##*one of: }
				break
			fi
		fi
	done <<<"$help"
	COMPREPLY=()
	if [[ -n $files && $cur != -* ]]; then
		_ddpctl_files
	else
		mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
	fi
}

complete -F _ddpctl ddpctl
