import { Autocomplete } from '@base-ui/react/autocomplete'
import { Dialog } from '@base-ui/react/dialog'
import { Search } from 'lucide-react'
import { type RefObject, useState } from 'react'
import { text } from '../text.ts'
import { type Found, type FoundGroup, useFound, useSites } from './palette-search.ts'

export type PaletteScope = 'everything' | 'sites'
type SearchProps = {
  /** What was typed while this was loaded. */
  early: Readonly<RefObject<string>>
  onClose: () => void
}
type PaletteProps = SearchProps & { scope: PaletteScope }

/** Goes anywhere by typing: pages, sites, and what the site has: events, addresses, people, reports. */
export default function Palette({ scope, ...search }: PaletteProps) {
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && search.onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup
          className="palette"
          aria-label={scope === 'sites' ? text.palette.findSite : text.palette.title}
        >
          {scope === 'sites' ? <SiteSearch {...search} /> : <FullSearch {...search} />}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function SiteSearch({ early, onClose }: SearchProps) {
  const [typed, setTyped] = useState(() => early.current)
  const groups = useSites(typed)
  return (
    <Results
      {...{ typed, setTyped, groups, onClose }}
      hint={text.palette.findSite}
      nothing={text.palette.nothing}
    />
  )
}

function FullSearch({ early, onClose }: SearchProps) {
  const [typed, setTyped] = useState(() => early.current)
  const { groups, isSearching } = useFound(typed)
  return (
    <Results
      {...{ typed, setTyped, groups, onClose }}
      hint={text.palette.hint}
      nothing={isSearching ? text.states.loading : text.palette.nothing}
    />
  )
}

type ResultsProps = {
  typed: string
  setTyped: (typed: string) => void
  groups: FoundGroup[]
  hint: string
  nothing: string
  onClose: () => void
}

function Results({ typed, setTyped, groups, hint, nothing, onClose }: ResultsProps) {
  const choose = (found: Found) => {
    onClose()
    found.act()
  }
  return (
    <Autocomplete.Root
      open
      inline
      mode="none"
      items={groups}
      value={typed}
      onValueChange={(value) => setTyped(String(value))}
      itemToStringValue={({ label }: Found) => label}
      autoHighlight="always"
      keepHighlight
    >
      <div className="palette-input">
        <Search className="icon" aria-hidden="true" />
        <Autocomplete.Input aria-label={hint} placeholder={hint} />
      </div>
      <Autocomplete.Empty className="choices-empty">{nothing}</Autocomplete.Empty>
      <Autocomplete.List className="palette-list">
        {(group: FoundGroup) => (
          <Autocomplete.Group key={group.value} items={group.items}>
            <Autocomplete.GroupLabel className="menu-label">{group.value}</Autocomplete.GroupLabel>
            <Autocomplete.Collection>
              {(found: Found) => (
                <Autocomplete.Item
                  key={found.value}
                  value={found}
                  className="menu-item"
                  onClick={() => choose(found)}
                >
                  <span className="grow break">{found.label}</span>
                  <span className="soft small">{found.detail}</span>
                </Autocomplete.Item>
              )}
            </Autocomplete.Collection>
          </Autocomplete.Group>
        )}
      </Autocomplete.List>
    </Autocomplete.Root>
  )
}
