# Completion of PROGRAM for fish: PROGRAM completion fish | source
function __bench_complete
    set -l words (commandline -opc)
    set -l found ($words[1] __complete $words[2..] (commandline -ct) 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c PROGRAM -f -a '(__bench_complete)'
