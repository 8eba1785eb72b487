import { type Board, boardLimits } from '@assay/contract'
import { useState } from 'react'
import { useRead } from '../../api/reads.ts'
import { FilterList } from '../../filters/filter-bar.tsx'
import { Button } from '../../kit/button.tsx'
import { AreaField, SelectField, TextField } from '../../kit/field.tsx'
import { Form } from '../../kit/form.tsx'
import { Picker } from '../../kit/picker.tsx'
import { ProblemNote } from '../../kit/states.tsx'
import { text } from '../../text.ts'
import { QuestionFields } from './question-fields.tsx'
import { titleFault } from './rename-tile.tsx'
import { isComplete, type TileDraft, tileSources } from './tile-draft.ts'

type FormState = { board: Board; error: Error | null; isSending: boolean }

type TileFormProps = FormState & {
  initial: TileDraft
  /** On the button: add or save. */
  act: string
  /** Answers whether it was saved; then the dialog closes. */
  onSave: (draft: TileDraft) => Promise<boolean>
  onClose: () => void
}

const reportsMax = 200

/** A saved report, a question of its own, or a text; shown at once, because it is saved at once. */
export function TileForm({ board, initial, act, error, isSending, onSave, onClose }: TileFormProps) {
  const words = text.boards
  const [draft, setDraft] = useState(initial)
  const submit = async () => {
    if (await onSave(draft)) onClose()
  }
  const change = (next: Partial<TileDraft>) => setDraft({ ...draft, ...next })
  return (
    <Form onSubmit={submit}>
      <div className="form-row">
        <SelectField
          label={words.source}
          value={draft.source}
          choices={tileSources.map((value) => ({ value, label: words.sources[value] }))}
          onChange={(source) => change({ source })}
        />
        <TextField
          label={words.title}
          value={draft.title}
          fault={titleFault(draft.title)}
          onChange={(title) => change({ title })}
        />
      </div>
      {draft.source === 'report' && <ReportField siteId={board.siteId} draft={draft} onChange={setDraft} />}
      {draft.source === 'text' && <TextTileField draft={draft} onChange={setDraft} />}
      {draft.source === 'question' && (
        <>
          <QuestionFields draft={draft} onChange={setDraft} />
          <FilterList
            placed={draft.filters.map((filter) => ({ filter, plain: null }))}
            onChange={(placed) => change({ filters: placed.map(({ filter }) => filter) })}
          />
        </>
      )}
      <ProblemNote error={error} />
      <div className="row end">
        <Button onClick={onClose}>{text.acts.cancel}</Button>
        <Button type="submit" look="primary" disabled={isSending || !isComplete(draft)}>
          {act}
        </Button>
      </div>
    </Form>
  )
}

type FieldProps = { draft: TileDraft; onChange: (draft: TileDraft) => void }

function ReportField({ siteId, draft, onChange }: FieldProps & { siteId: string }) {
  const words = text.boards
  const reports = useRead('listReports', { query: { siteId, limit: reportsMax } })
  const saved = reports.data?.data ?? []
  if (reports.data !== undefined && saved.length === 0) return <p className="soft">{words.noReports}</p>
  return (
    <Picker
      label={words.report}
      value={draft.reportId}
      isRequired
      isLoading={reports.isFetching}
      placeholder={words.chooseReport}
      groups={[
        {
          label: '',
          items: saved.map(({ id, name, kind }) => ({
            value: id,
            label: name || words.unnamed,
            hint: text.savedReports.kinds[kind],
          })),
        },
      ]}
      onChange={(reportId) => onChange({ ...draft, reportId })}
    />
  )
}

function TextTileField({ draft, onChange }: FieldProps) {
  const words = text.boards
  return (
    <AreaField
      label={words.text}
      rows={5}
      value={draft.text}
      isRequired
      fault={
        draft.text.length > boardLimits.textCharactersMax
          ? text.form.atMost(boardLimits.textCharactersMax)
          : null
      }
      onChange={(written) => onChange({ ...draft, text: written })}
    />
  )
}
