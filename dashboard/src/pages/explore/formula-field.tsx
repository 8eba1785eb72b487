import { useState } from 'react'
import { TextField } from '../../kit/field.tsx'
import { Form } from '../../kit/form.tsx'
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
    // biome-ignore lint/a11y/noStaticElementInteractions: it has no part in it, it hears that the field was left
    <div className="formula" onBlur={apply}>
      <Form onSubmit={apply} isSearch>
        <TextField
          label={text.explore.formula}
          isLabelHidden
          isMono
          placeholder={text.explore.formulaExample}
          value={typed}
          onChange={setTyped}
        />
      </Form>
    </div>
  )
}
