# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Completion of ddp-exporter for bash: of what --help says.

_ddp_exporter() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	local words=''

	COMPREPLY=()
	case $prev in
	--run-dir)
		mapfile -t COMPREPLY < <(compgen -d -- "$cur")
		compopt -o filenames
		return
		;;
	--file-prefix | --listen) ;;
	*)
		words=$(ddp-exporter --help 2>/dev/null | sed -En 's/^  (-., )?(--[a-z-]+).*/\2/p')
		;;
	esac
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}

complete -F _ddp_exporter ddp-exporter
