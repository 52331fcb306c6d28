# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Completion of ddpctl for bash. A unit test compares the lists below with the tool's own.

# Profiles that are found by name.
_ddpctl_profiles() {
	ddpctl list 2>/dev/null | awk 'NR > 1 { print $1 }'
}

_ddpctl() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	local words files=

	# bash splits --hash=toeplitz into three words
	if [[ $cur == = ]]; then
		cur=
	elif [[ $prev == = ]]; then
		prev=${COMP_WORDS[COMP_CWORD - 2]}
	fi

	case $COMP_CWORD:${COMP_WORDS[1]} in
	1:*)
		words="list info check graph classify explain simulate new --help --version"
		;;
	*:list)
		words="--help --json"
		;;
	*:info)
		words="--help --json"
		files=yes
		;;
	*:check)
		words="--help --json --strict"
		files=yes
		;;
	*:graph)
		words="--help --json"
		files=yes
		;;
	*:classify)
		words="--hash --help --json --jsonl --key --queues --reta-size --rss-hf"
		files=yes
		;;
	*:explain)
		words="--hash --help --json --key --packet --queues --reta-size --rss-hf"
		files=yes
		;;
	*:simulate)
		words="--hash --help --json --key --queues --reta-size --rss-hf"
		files=yes
		;;
	*:new)
		words="--help --json --output"
		;;
	esac
	case $prev in
	--hash)
		words="toeplitz symmetric_toeplitz simple_xor"
		files=
		;;
	--key | --output | --packet | --queues | --reta-size | --rss-hf)
		words=
		files=
		;;
	esac
	if [[ -n $files && $cur != -* ]]; then
		words=$(_ddpctl_profiles)
		mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur"; compgen -f -- "$cur")
	else
		mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
	fi
}

complete -o filenames -F _ddpctl ddpctl
