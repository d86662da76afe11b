# Completion of PROGRAM for PowerShell: PROGRAM completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName PROGRAM, PROGRAM.exe -ScriptBlock {
    param($current, $tree, $position)
    $words = @($tree.CommandElements | Where-Object { $_.Extent.EndOffset -lt $position } | ForEach-Object { $_.ToString() })
    $program, $before = $words
    & $program __complete @before $current 2>$null | ForEach-Object {
        $name, $about = $_ -split "`t", 2
        if (-not $about) { $about = $name }
        [System.Management.Automation.CompletionResult]::new($name, $name, 'ParameterValue', $about)
    }
}
