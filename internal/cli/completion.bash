# Completion of PROGRAM for bash: source <(PROGRAM completion bash)
_bench() {
	local IFS=$'\n' line=${COMP_LINE:0:COMP_POINT} words current head reply
	# Bash takes a word apart at @ and =, which names of methods and values of flags hold.
	IFS=' ' read -ra words <<<"$line"
	[[ $line == *' ' ]] && words+=("")
	current=${words[${#words[@]} - 1]}
	head=${current%"${current##*[@=:]}"}
	COMPREPLY=()
	while IFS= read -r reply; do
		[[ $reply == :* ]] || COMPREPLY+=("${reply#"$head"}")
	done < <("${words[0]}" __completeNoDesc "${words[@]:1}" 2>/dev/null)
}
complete -o default -F _bench PROGRAM
