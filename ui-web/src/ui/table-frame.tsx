import type { ReactNode } from 'react'

interface TableFrameProps {
  /** What the table is of, for those who hear it. */
  readonly label: string
  readonly children: ReactNode
}

/** A table that scrolls sideways where it is too wide, also by keyboard. */
export const TableFrame = ({ label, children }: TableFrameProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard
  <section className="table-frame" aria-label={label} tabIndex={0}>
    {children}
  </section>
)
