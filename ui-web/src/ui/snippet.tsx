import { useState } from 'react'

/** Text to be copied into a terminal or a file. */
export function Snippet({ text }: { readonly text: string }) {
  const [copied, setCopied] = useState<string>()
  const copy = async (): Promise<void> => {
    // Pages over plain HTTP of another machine have no clipboard: the text is there to be selected.
    await navigator.clipboard?.writeText(text)
    setCopied(text)
  }
  return (
    <div className="snippet">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a wide text scrolls, also by keyboard */}
      <pre tabIndex={0}>{text}</pre>
      {navigator.clipboard && (
        <button type="button" className="quiet" onClick={() => void copy()}>
          {copied === text ? 'Copied' : 'Copy'}
        </button>
      )}
    </div>
  )
}
