import type { FieldError, Filter } from '@assay/contract'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { plainWords } from '../api/problem.ts'
import { Button } from '../kit/button.tsx'
import { SelectField } from '../kit/field.tsx'
import { Form } from '../kit/form.tsx'
import { text } from '../text.ts'
import { draftOf, emptyDraft, faultsIn } from './draft.ts'
import { FilterEditor } from './filter-editor.tsx'
import { filterWords } from './filter-words.ts'
import {
  filterOfGroup,
  type GroupDraft,
  groupDraftOf,
  groupLevelsMax,
  groupModes,
  groupPartsMax,
  newGroup,
} from './group-draft.ts'
import { useFilterNames } from './names.ts'

type EditorProps = {
  /** Null: a new one. */
  filter: Filter | null
  /** On the button: add or apply. */
  act: string
  isOfEvents: boolean
  onDone: (filter: Filter) => void
  onCancel: () => void
}

/** A condition or a group of them, by what is given; a condition can become a group. */
export function AnyFilterEditor({ level = 1, ...props }: EditorProps & { level?: number }) {
  const { filter } = props
  const [group, setGroup] = useState(() => (filter === null ? null : groupDraftOf(filter)))
  const { act, isOfEvents, onDone, onCancel } = props
  if (group !== null) return <GroupEditor {...props} initial={group} level={level} />
  const initial = (filter === null ? null : draftOf(filter)) ?? emptyDraft
  return (
    <FilterEditor
      {...{ initial, act, isOfEvents, onDone, onCancel }}
      {...(level <= groupLevelsMax && { onGroup: (parts: readonly Filter[]) => setGroup(newGroup(parts)) })}
    />
  )
}

const newPart = 'new'

type GroupEditorProps = EditorProps & { initial: GroupDraft; level: number }

/** Conditions of which all, any or none have to hold. One of them at a time is opened, in the place of the list. */
function GroupEditor({ initial, level, act, isOfEvents, onDone, onCancel }: GroupEditorProps) {
  const [group, setGroup] = useState(initial)
  const [open, setOpen] = useState<number | typeof newPart | null>(null)
  const [faults, setFaults] = useState<readonly FieldError[]>([])
  const words = text.filterBar
  const { parts } = group
  const change = (next: Partial<GroupDraft>) => {
    setGroup({ ...group, ...next })
    setFaults([])
  }
  if (open !== null) {
    return (
      <Step key={open}>
        <AnyFilterEditor
          filter={open === newPart ? null : (parts[open] ?? null)}
          level={level + 1}
          act={open === newPart ? words.addAct : words.apply}
          isOfEvents={isOfEvents}
          onCancel={() => setOpen(null)}
          onDone={(part) => {
            change({
              parts: open === newPart ? [...parts, part] : parts.map((one, at) => (at === open ? part : one)),
            })
            setOpen(null)
          }}
        />
      </Step>
    )
  }
  const submit = () => {
    const filter = filterOfGroup(group)
    const found = faultsIn(filter)
    setFaults(found)
    if (found.length === 0) onDone(filter)
  }
  return (
    <Step>
      <Form onSubmit={submit} isSearch>
        <SelectField
          label={words.match}
          value={group.mode}
          choices={groupModes.map((value) => ({ value, label: words.modes[value] }))}
          onChange={(mode) => change({ mode })}
        />
        <Parts
          parts={parts}
          level={level}
          onOpen={setOpen}
          onRemove={(index) => change({ parts: parts.filter((_, at) => at !== index) })}
        />
        {parts.length < groupPartsMax && <AddCondition onClick={() => setOpen(newPart)} />}
        {faults.length > 0 && (
          <p className="fault small" role="alert">
            {parts.length === 0 ? words.emptyGroup : plainWords(faults[0]?.message ?? '')}
          </p>
        )}
        <div className="row end">
          <Button onClick={onCancel}>{text.acts.cancel}</Button>
          <Button type="submit" look="primary">
            {act}
          </Button>
        </div>
      </Form>
    </Step>
  )
}

function AddCondition({ onClick }: { onClick: () => void }) {
  return (
    <div>
      <Button isCompact look="ghost" onClick={onClick}>
        <span aria-hidden="true">+</span> {text.filterBar.addCondition}
      </Button>
    </div>
  )
}

type PartsProps = {
  parts: readonly Filter[]
  level: number
  onOpen: (index: number) => void
  onRemove: (index: number) => void
}

function Parts({ parts, level, onOpen, onRemove }: PartsProps) {
  const names = useFilterNames()
  const words = text.filterBar
  if (parts.length === 0) return null
  return (
    <ul className="filter-parts" aria-label={words.conditionsOf}>
      {parts.map((part, index) => {
        const said = filterWords(part, names)
        const isDeep = level >= groupLevelsMax && groupDraftOf(part) !== null
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: two conditions may be alike; their order is their identity
          <li key={index} className="chip">
            {isDeep ? (
              <span className="chip-words">{said}</span>
            ) : (
              <button
                type="button"
                className="chip-words"
                title={words.editPart}
                onClick={() => onOpen(index)}
              >
                {said}
              </button>
            )}
            <button
              type="button"
              className="chip-remove"
              aria-label={text.filters.remove(said)}
              onClick={() => onRemove(index)}
            >
              <span aria-hidden="true">✕</span>
            </button>
          </li>
        )
      })}
    </ul>
  )
}

/** What takes the place of something else in the popover has the focus, so that keys continue from there. */
function Step({ children }: { children: ReactNode }) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => place.current?.focus(), [])
  return (
    <div ref={place} tabIndex={-1} className="filter-step">
      {children}
    </div>
  )
}
