import { type KeyboardEvent, type ReactNode, type RefObject, useId } from 'react'

type CodeFieldProps = {
  label: string
  value: string
  onChange: (value: string) => void
  /** Ctrl or Cmd with Enter. */
  onRun: () => void
  area: RefObject<HTMLTextAreaElement | null>
  /** What is wrong with the code; null where nothing is. */
  fault: ReactNode | null
  hint: string
  /** Next to the hint. */
  act: ReactNode
}

const rowsMin = 8
const rowsMax = 24

/** A text in a language of computers: lines are not broken, and nothing in it is corrected. */
export function CodeField({ label, value, onChange, onRun, area, fault, hint, act }: CodeFieldProps) {
  const id = useId()
  const runByKey = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    onRun()
  }
  return (
    <div className="field code-field">
      <label htmlFor={id}>{label}</label>
      <textarea
        id={id}
        ref={area}
        className="mono code-area"
        rows={Math.min(rowsMax, Math.max(rowsMin, value.split('\n').length + 1))}
        spellCheck={false}
        autoCapitalize="off"
        autoCorrect="off"
        value={value}
        aria-describedby={fault === null ? `${id}-hint` : `${id}-fault`}
        {...(fault !== null && { 'aria-invalid': true })}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={runByKey}
      />
      {fault !== null && (
        <div id={`${id}-fault`} role="alert" className="note warn stack tight">
          {fault}
        </div>
      )}
      <div className="row">
        {act}
        <span id={`${id}-hint`} className="soft small">
          {hint}
        </span>
      </div>
    </div>
  )
}
