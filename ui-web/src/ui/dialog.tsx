import { type ReactNode, useEffect, useRef } from 'react'

interface DialogProps {
  readonly title: string
  readonly children: ReactNode
  /** `drawer`: over the whole height, at the right. */
  readonly shape?: 'drawer'
  /** By Escape, the button, or a click beside the dialog. */
  close(): void
}

/** A modal dialog of the platform: it keeps the focus inside and gives it back. It is open as long as it is rendered. */
export function Dialog({ title, children, shape, close }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const element = dialog.current
    element?.showModal()
    return () => element?.close()
  }, [])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the platform closes it by Escape
    <dialog
      ref={dialog}
      className={shape}
      aria-labelledby="dialog-title"
      onCancel={event => {
        event.preventDefault()
        close()
      }}
      onClick={event => {
        if (event.target === dialog.current) close()
      }}
    >
      <h2 id="dialog-title">{title}</h2>
      {children}
    </dialog>
  )
}
