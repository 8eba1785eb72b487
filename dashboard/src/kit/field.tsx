import { type ReactNode, useId } from 'react'
import { readNumber } from '../format.ts'
import { text } from '../text.ts'
import { useForm } from './form-state.ts'
import { type Choice, Select } from './select.tsx'

type Ids = { id: string; 'aria-describedby'?: string; 'aria-invalid'?: true }

type FieldProps = {
  label: string
  hint?: string | undefined
  /** Where columns say already what it is; screen readers hear it all the same. */
  isLabelHidden?: boolean
  children: (ids: Ids) => ReactNode
}

/** A control with its name, a hint, and what is wrong with it. */
export function Field({ label, hint, isLabelHidden = false, children }: FieldProps) {
  const id = useId()
  const fault = useForm()?.faults.get(id)
  const described = [
    ...(fault === undefined ? [] : [`${id}-fault`]),
    ...(hint === undefined ? [] : [`${id}-hint`]),
  ].join(' ')
  return (
    <div className="field">
      <label htmlFor={id} className={isLabelHidden ? 'hidden' : undefined}>
        {label}
      </label>
      {children({
        id,
        ...(described !== '' && { 'aria-describedby': described }),
        ...(fault !== undefined && { 'aria-invalid': true }),
      })}
      {fault !== undefined && (
        <span id={`${id}-fault`} className="fault small">
          {fault}
        </span>
      )}
      {hint !== undefined && (
        <span id={`${id}-hint`} className="soft small">
          {hint}
        </span>
      )}
    </div>
  )
}

/** Limits of a field that the page can check. */
type Limits = {
  /** The place in the request that the server names when it refuses it. */
  name?: string
  isRequired?: boolean
  isNumber?: boolean
  /** What else is wrong with it; null where nothing is. */
  fault?: string | null
}

function faultIn(value: string, { isNumber = false, fault = null }: Limits): string {
  if (isNumber && value.trim() !== '' && readNumber(value) === null) return text.form.number
  return fault ?? ''
}

type TextProps = Limits & {
  label: string
  value: string
  onChange: (value: string) => void
  hint?: string
  type?: 'text' | 'email' | 'date' | 'datetime-local' | 'search' | 'password'
  placeholder?: string
  isMono?: boolean
  isLabelHidden?: boolean
}

export function TextField({ label, value, onChange, hint, type = 'text', ...more }: TextProps) {
  return (
    <Field label={label} hint={hint} isLabelHidden={more.isLabelHidden ?? false}>
      {(ids) => (
        <input
          {...ids}
          ref={(input) => input?.setCustomValidity(faultIn(value, more))}
          type={type}
          name={more.name}
          value={value}
          required={more.isRequired ?? false}
          inputMode={more.isNumber === true ? 'decimal' : undefined}
          placeholder={more.placeholder}
          className={more.isMono === true ? 'mono' : undefined}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  )
}

type AreaProps = Limits & {
  label: string
  value: string
  onChange: (value: string) => void
  hint?: string
  rows?: number
}

export function AreaField({ label, value, onChange, hint, rows = 8, ...more }: AreaProps) {
  return (
    <Field label={label} hint={hint}>
      {(ids) => (
        <textarea
          {...ids}
          ref={(area) => area?.setCustomValidity(faultIn(value, more))}
          name={more.name}
          required={more.isRequired ?? false}
          rows={rows}
          spellCheck={false}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  )
}

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

type CheckProps = { label: string; isOn: boolean; onChange: (isOn: boolean) => void }

export function Check({ label, isOn, onChange }: CheckProps) {
  return (
    <label className="check">
      <input type="checkbox" checked={isOn} onChange={(event) => onChange(event.target.checked)} />
      {label}
    </label>
  )
}
