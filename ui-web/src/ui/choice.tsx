interface ChoiceProps<T extends string> {
  /** What is chosen, for those who hear it. */
  readonly label: string
  readonly options: Readonly<Record<T, string>>
  readonly chosen: T
  choose(option: T): void
}

/** One of a few options, side by side. */
export function Choice<T extends string>({ label, options, chosen, choose }: ChoiceProps<T>) {
  return (
    <fieldset className="choice" aria-label={label}>
      {(Object.keys(options) as T[]).map(option => (
        <button key={option} type="button" aria-pressed={option === chosen} onClick={() => choose(option)}>
          {options[option]}
        </button>
      ))}
    </fieldset>
  )
}
