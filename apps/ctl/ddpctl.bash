# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Completion of ddpctl for bash. A unit test compares the lists below with the tool's own.

# Into COMPREPLY: files, and profiles that are found by name. compgen -W is for words of this file only: it expands
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
	local words files= command=${COMP_WORDS[1]}

	if [[ $command == port || $command == package ]]; then
		command="$command ${COMP_WORDS[2]}"
	fi

	# bash splits --hash=toeplitz into three words
	if [[ $cur == = ]]; then
		cur=
	elif [[ $prev == = ]]; then
		prev=${COMP_WORDS[COMP_CWORD - 2]}
	fi

	case $COMP_CWORD:$command in
	1:*)
		words="list info check graph classify explain simulate advise diff ddptool new plan package port --help --version"
		;;
	2:"package "*)
		words="find --help"
		;;
	2:"port "*)
		words="list show add del queues ptypes verify watch --help"
		;;
	*:list)
		words="--help --json"
		;;
	*:info)
		words="--help --json --ptypes"
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
		words="--count --dvm --ecpri-port --filter --geneve-port --hash --help --interface --json --jsonl --key --queues --reta-size --rss-hf --rule --vxlan-port"
		files=yes
		;;
	*:explain)
		words="--dvm --ecpri-port --filter --geneve-port --hash --help --interface --json --key --packet --queues --reta-size --rss-hf --vxlan-port"
		files=yes
		;;
	*:simulate)
		words="--core-mpps --count --dvm --ecpri-port --filter --geneve-port --hash --help --interface --json --key --load-mpps --queues --report --reta-size --rss-hf --rule --vxlan-port --window --with"
		files=yes
		;;
	*:advise)
		words="--core-mpps --count --filter --hash --help --interface --json --key --load-mpps --queues --report --reta-size --rss-hf --window --with"
		files=yes
		;;
	*:diff)
		words="--help --json"
		files=yes
		;;
	*:ddptool)
		words="-a -f -h -i -j -l -s -v -x"
		files=yes
		;;
	*:new)
		words="--help --json --output"
		;;
	*:plan)
		words="--file-prefix --help --json --nic --pid --port --root --rss-hf"
		files=yes
		;;
	*:"package find")
		words="--device --driver --help --json --kernel --root --serial"
		files=yes
		;;
	*:"port list")
		words="--file-prefix --help --json --pid"
		;;
	*:"port show")
		words="--file-prefix --help --json --pid"
		;;
	*:"port add")
		words="--file-prefix --help --json --pid"
		files=yes
		;;
	*:"port del")
		words="--file-prefix --help --json --pid"
		;;
	*:"port queues")
		words="--file-prefix --help --json --pid"
		;;
	*:"port ptypes")
		words="--file-prefix --help --json --pid"
		;;
	*:"port verify")
		words="--file-prefix --help --json --pid"
		;;
	*:"port watch")
		words="--count --file-prefix --help --interval --json --pid"
		;;
	esac
	case $prev in
	--driver)
		words="kernel dpdk"
		files=
		;;
	--nic)
		words="generic i40e iavf ice-comms ice-os mlx5 net_ddp none"
		files=
		;;
	--hash)
		words="toeplitz symmetric_toeplitz symmetric_toeplitz_sort simple_xor"
		files=
		;;
	--core-mpps | --count | --device | --ecpri-port | --file-prefix | --filter | --geneve-port | --interface | --interval | --kernel | --key | --load-mpps | --output | --packet | --pid | --port | --queues | --report | --reta-size | --root | --rss-hf | --rule | --serial | --vxlan-port | --window | --with)
		words=
		files=
		;;
	esac
	COMPREPLY=()
	if [[ -n $files && $cur != -* ]]; then
		_ddpctl_files
	else
		mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
	fi
}

complete -F _ddpctl ddpctl
