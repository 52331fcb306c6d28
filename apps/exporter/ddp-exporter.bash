# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Completion of ddp-exporter for bash: of what --help says.

_ddp_exporter() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	local help words=''

	help=$(ddp-exporter --help 2>/dev/null)
	COMPREPLY=()
	case $prev in
	--format)
		words=$(sed -n 's/^ .*--format .*one of: //p' <<<"$help")
		;;
	--run-dir)
		mapfile -t COMPREPLY < <(compgen -d -- "$cur")
		compopt -o filenames
		return
		;;
	--socket)
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		compopt -o filenames
		return
		;;
	--file-prefix | --listen | --timeout) ;;
	*)
		words=$(sed -En 's/^  (-.,|   ) (--[a-z-]+).*/\2/p' <<<"$help")
		;;
	esac
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}

complete -F _ddp_exporter ddp-exporter
