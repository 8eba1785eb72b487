import { type ReactNode, useId } from 'react'

type FieldProps = {
  label: string
  hint?: string | undefined
  children: (ids: { id: string; 'aria-describedby'?: string }) => ReactNode
}

export function Field({ label, hint, children }: FieldProps) {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({ id, ...(hint !== undefined && { 'aria-describedby': `${id}-hint` }) })}
      {hint !== undefined && (
        <span id={`${id}-hint`} className="soft small">
          {hint}
        </span>
      )}
    </div>
  )
}

type TextProps = {
  label: string
  value: string
  onChange: (value: string) => void
  hint?: string
  type?: 'text' | 'email' | 'date' | 'datetime-local' | 'search' | 'password'
  isRequired?: boolean
  placeholder?: string
  isMono?: boolean
}

export function TextField({ label, value, onChange, hint, type = 'text', ...more }: TextProps) {
  return (
    <Field label={label} hint={hint}>
      {(ids) => (
        <input
          {...ids}
          type={type}
          value={value}
          required={more.isRequired ?? false}
          placeholder={more.placeholder}
          className={more.isMono === true ? 'mono' : undefined}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  )
}

type AreaProps = {
  label: string
  value: string
  onChange: (value: string) => void
  hint?: string
  rows?: number
}

export function AreaField({ label, value, onChange, hint, rows = 8 }: AreaProps) {
  return (
    <Field label={label} hint={hint}>
      {(ids) => (
        <textarea
          {...ids}
          rows={rows}
          spellCheck={false}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  )
}

export type Choice<Value extends string> = { value: Value; label: string }

type SelectProps<Value extends string> = {
  label: string
  value: Value
  choices: readonly Choice<Value>[]
  onChange: (value: Value) => void
  hint?: string
}

export function SelectField<Value extends string>({ label, hint, ...select }: SelectProps<Value>) {
  return (
    <Field label={label} hint={hint}>
      {(ids) => <Select ids={ids} {...select} />}
    </Field>
  )
}

type BareSelectProps<Value extends string> = Omit<SelectProps<Value>, 'label' | 'hint'> & {
  ids?: object
  /** Where no label is seen. */
  name?: string
}

/** The browser's own: every keyboard and screen reader knows it. */
export function Select<Value extends string>({
  ids,
  name,
  value,
  choices,
  onChange,
}: BareSelectProps<Value>) {
  return (
    <select
      {...ids}
      aria-label={name}
      value={value}
      onChange={(event) => {
        const chosen = choices.find((choice) => choice.value === event.target.value)
        if (chosen !== undefined) onChange(chosen.value)
      }}
    >
      {choices.map((choice) => (
        <option key={choice.value} value={choice.value}>
          {choice.label}
        </option>
      ))}
    </select>
  )
}

type CheckProps = { label: string; isOn: boolean; onChange: (isOn: boolean) => void }

export function Check({ label, isOn, onChange }: CheckProps) {
  return (
    <label className="check">
      <input type="checkbox" checked={isOn} onChange={(event) => onChange(event.target.checked)} />
      {label}
    </label>
  )
}
