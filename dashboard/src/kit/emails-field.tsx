import { useId } from 'react'
import { text } from '../text.ts'
import { ManyPicker } from './many-picker.tsx'

type EmailsFieldProps = {
  label: string
  hint: string
  values: readonly string[]
  /** Offered before anything is typed. */
  offered: readonly string[]
  max: number
  onChange: (values: readonly string[]) => void
  fault: string | null
}

/** Several email addresses, each a chip. */
export function EmailsField({ label, hint, values, offered, max, onChange, fault }: EmailsFieldProps) {
  const id = useId()
  return (
    <div className="stack tight">
      <ManyPicker
        label={label}
        values={values}
        groups={[{ label: '', items: offered.map((value) => ({ value, label: value })) }]}
        isFree
        isTypedFirst
        max={max}
        placeholder={hint}
        onChange={onChange}
        faultId={fault === null ? null : id}
      />
      {fault !== null && (
        <span id={id} className="fault small" role="alert">
          {fault}
        </span>
      )}
    </div>
  )
}

const isEmail = (value: string) => /^[^\s@]+@[^\s@]+$/.test(value)

/** The first that is no address, in words; null if all are. */
export function emailsFault(values: readonly string[]): string | null {
  const wrong = values.find((value) => !isEmail(value))
  return wrong === undefined ? null : text.alerts.badEmail(wrong)
}
