import { type KeyboardEvent, type RefObject, useId } from 'react'
import { Button } from '../../kit/button.tsx'
import { text } from '../../text.ts'
import type { Fault } from './fault.ts'

type EditorProps = {
  value: string
  onChange: (value: string) => void
  onRun: () => void
  fault: Fault | null
  isRunning: boolean
  area: RefObject<HTMLTextAreaElement | null>
}

const rowsMin = 8
const rowsMax = 24

/** The text of the query, and below it what is wrong with it. */
export function Editor({ value, onChange, onRun, fault, isRunning, area }: EditorProps) {
  const id = useId()
  const words = text.sql
  const runByKey = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    onRun()
  }
  const rows = Math.min(rowsMax, Math.max(rowsMin, value.split('\n').length + 1))
  const toFault = (at: number) => {
    area.current?.focus()
    area.current?.setSelectionRange(at, at)
  }
  return (
    <div className="field">
      <label htmlFor={id}>{words.query}</label>
      <textarea
        id={id}
        ref={area}
        className="mono sql-editor"
        rows={rows}
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
          <p>{fault.message}</p>
          {fault.at !== null && (
            <>
              {fault.line.trim() !== '' && <code className="sql-line">{fault.line}</code>}
              <p>
                <Button isCompact onClick={() => toFault(fault.at ?? 0)}>
                  {words.toFault}
                </Button>
              </p>
            </>
          )}
        </div>
      )}
      <div className="row">
        <Button look="primary" onClick={onRun} disabled={isRunning || value.trim() === ''}>
          {words.run}
        </Button>
        <span id={`${id}-hint`} className="soft small">
          {words.runHint}
        </span>
      </div>
    </div>
  )
}
