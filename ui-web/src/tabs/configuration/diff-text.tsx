const KINDS = { '+': 'added', '-': 'removed', '@': 'place' } as const

/** A unified diff; its signs say for everybody what the colours say for some. */
export function DiffText({ diff }: { readonly diff: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a long text scrolls, also by keyboard
    <pre className="diff" tabIndex={0}>
      {diff
        .trimEnd()
        .split('\n')
        .map((line, at) => (
          <span key={at} className={KINDS[line[0] as keyof typeof KINDS] ?? ''}>
            {line}
          </span>
        ))}
    </pre>
  )
}
