import { useState } from 'react'
import { text } from '../../text.ts'

type FormulaFieldProps = { value: string; onChange: (formula: string) => void }

/** Applied with Enter, or on leaving the field: half a formula is no question. */
export function FormulaField({ value, onChange }: FormulaFieldProps) {
  const [typed, setTyped] = useState(value)
  const [seen, setSeen] = useState(value)
  if (seen !== value) {
    setSeen(value)
    setTyped(value)
  }
  const apply = () => {
    if (typed !== value) onChange(typed)
  }
  return (
    <input
      className="mono"
      aria-label={text.explore.formula}
      placeholder={text.explore.formulaExample}
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
      onBlur={apply}
      onKeyDown={(event) => {
        if (event.key === 'Enter') apply()
      }}
    />
  )
}
