import type { Filter } from '@assay/contract'
import { Popover } from '@base-ui/react/popover'
import { type ReactNode, useState } from 'react'
import { Button } from '../kit/button.tsx'
import { text } from '../text.ts'
import { filterWords } from './filter-words.ts'
import { type PlacedFilter, useFilters } from './filters.ts'
import { AnyFilterEditor } from './group-editor.tsx'
import { useFilterNames } from './names.ts'

/** The filters of the address: each can be edited and removed, and others added. */
export function FilterBar({ children }: { children?: ReactNode }) {
  const { placed, isBroken, change } = useFilters()
  return (
    <FilterList placed={placed} isBroken={isBroken} onChange={change}>
      {children}
    </FilterList>
  )
}

type FilterListProps = {
  placed: readonly PlacedFilter[]
  onChange: (placed: readonly PlacedFilter[]) => void
  isBroken?: boolean
  /** Where only single events can be asked about. */
  isOfEvents?: boolean
  label?: string
  /** On the button that adds one. */
  addWords?: string
  children?: ReactNode
}

/** A list of filters wherever it is stored. */
export function FilterList({
  placed,
  onChange,
  isBroken = false,
  isOfEvents = false,
  ...more
}: FilterListProps) {
  const names = useFilterNames()
  const words = text.filterBar
  const addWords = more.addWords ?? words.add
  return (
    <section className="filters" aria-label={more.label ?? text.filters.title}>
      {placed.map((one, index) => (
        <FilterChip
          // biome-ignore lint/suspicious/noArrayIndexKey: two filters may be alike, and their order is their identity
          key={index}
          words={filterWords(one.filter, names)}
          filter={one.filter}
          isOfEvents={isOfEvents}
          onChange={(next) => onChange(placed.map((old, at) => (at === index ? next : old)))}
          onRemove={() => onChange(placed.filter((_, at) => at !== index))}
        />
      ))}
      {isBroken && (
        <span className="chip broken">
          {words.broken}
          <RemoveButton words={words.broken} onRemove={() => onChange(placed)} />
        </span>
      )}
      <EditorPopover
        title={addWords}
        filter={null}
        act={words.addAct}
        isOfEvents={isOfEvents}
        trigger={
          <Popover.Trigger className="button ghost compact">
            <span aria-hidden="true">+</span> {addWords}
          </Popover.Trigger>
        }
        onDone={(next) => onChange([...placed, next])}
      />
      {placed.length > 1 && (
        <Button isCompact look="ghost" onClick={() => onChange([])}>
          {text.filters.clear}
        </Button>
      )}
      {more.children}
    </section>
  )
}

type ChipProps = {
  words: string
  filter: Filter
  isOfEvents: boolean
  onChange: (next: PlacedFilter) => void
  onRemove: () => void
}

function FilterChip({ words, filter, isOfEvents, onChange, onRemove }: ChipProps) {
  return (
    <span className="chip">
      <EditorPopover
        title={text.filterBar.edit}
        filter={filter}
        act={text.filterBar.apply}
        isOfEvents={isOfEvents}
        trigger={
          <Popover.Trigger className="chip-words" title={text.filterBar.edit}>
            {words}
          </Popover.Trigger>
        }
        onDone={onChange}
      />
      <RemoveButton words={words} onRemove={onRemove} />
    </span>
  )
}

function RemoveButton({ words, onRemove }: { words: string; onRemove: () => void }) {
  return (
    <button type="button" className="chip-remove" aria-label={text.filters.remove(words)} onClick={onRemove}>
      <span aria-hidden="true">✕</span>
    </button>
  )
}

type PopoverProps = {
  title: string
  /** Null: a new one. */
  filter: Filter | null
  act: string
  isOfEvents: boolean
  trigger: ReactNode
  onDone: (next: PlacedFilter) => void
}

function EditorPopover({ title, filter, act, isOfEvents, trigger, onDone }: PopoverProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <Popover.Root open={isOpen} onOpenChange={setOpen}>
      {trigger}
      <Popover.Portal>
        <Popover.Positioner sideOffset={6} align="start" className="popover-place" collisionPadding={12}>
          <Popover.Popup className="popover">
            <Popover.Title className="popover-title">{title}</Popover.Title>
            <AnyFilterEditor
              filter={filter}
              act={act}
              isOfEvents={isOfEvents}
              onCancel={() => setOpen(false)}
              onDone={(next) => {
                setOpen(false)
                onDone({ filter: next, plain: null })
              }}
            />
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}
