import type { RefObject } from 'react'
import { Button } from '../../kit/button.tsx'
import { CodeField } from '../../kit/code-field.tsx'
import { sqlText } from '../../text/sql.ts'
import type { Fault } from './fault.ts'

type EditorProps = {
  value: string
  onChange: (value: string) => void
  onRun: () => void
  fault: Fault | null
  isRunning: boolean
  area: RefObject<HTMLTextAreaElement | null>
}

/** The text of the query, and below it what is wrong with it. */
export function Editor({ value, onChange, onRun, fault, isRunning, area }: EditorProps) {
  const words = sqlText.sql
  const toFault = (at: number) => {
    area.current?.focus()
    area.current?.setSelectionRange(at, at)
  }
  const isRunnable = !isRunning && value.trim() !== ''
  return (
    <CodeField
      label={words.query}
      value={value}
      onChange={onChange}
      onRun={onRun}
      area={area}
      fault={fault === null ? null : <FaultNote fault={fault} onShow={toFault} />}
      hint={words.runHint}
      act={
        <Button look="primary" onClick={onRun} disabled={!isRunnable}>
          {words.run}
        </Button>
      }
    />
  )
}

function FaultNote({ fault: { message, at, line }, onShow }: { fault: Fault; onShow: (at: number) => void }) {
  return (
    <>
      <p>{message}</p>
      {at !== null && (
        <>
          {line.trim() !== '' && <code className="sql-line">{line}</code>}
          <p>
            <Button isCompact onClick={() => onShow(at)}>
              {sqlText.sql.toFault}
            </Button>
          </p>
        </>
      )}
    </>
  )
}
