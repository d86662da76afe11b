#compdef PROGRAM
# Completion of PROGRAM for zsh: source <(PROGRAM completion zsh), or a file _bench in fpath.
_bench() {
	local -a found names
	local line
	found=("${(@f)$(${words[1]} __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
	for line in $found; do
		[[ -n $line ]] && names+=("${line%%$'\t'*}")
	done
	if ((${#names})); then
		compadd -- $names
	else
		_files
	fi
}
compdef _bench PROGRAM
