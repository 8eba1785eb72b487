import { Autocomplete } from '@base-ui/react/autocomplete'
import { Dialog } from '@base-ui/react/dialog'
import { Search } from 'lucide-react'
import { useState } from 'react'
import { text } from '../text.ts'
import { type Found, type FoundGroup, useFound, useSites } from './palette-search.ts'

export type PaletteScope = 'everything' | 'sites'
type PaletteProps = { scope: PaletteScope; onClose: () => void }

/** Goes anywhere by typing: pages, sites, and what the site has: events, addresses, people, reports. */
export default function Palette({ scope, onClose }: PaletteProps) {
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup
          className="palette"
          aria-label={scope === 'sites' ? text.palette.findSite : text.palette.title}
        >
          {scope === 'sites' ? <SiteSearch onClose={onClose} /> : <FullSearch onClose={onClose} />}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function SiteSearch({ onClose }: { onClose: () => void }) {
  const [typed, setTyped] = useState('')
  const groups = useSites(typed)
  return (
    <Results
      {...{ typed, setTyped, groups, onClose }}
      hint={text.palette.findSite}
      nothing={text.palette.nothing}
    />
  )
}

function FullSearch({ onClose }: { onClose: () => void }) {
  const [typed, setTyped] = useState('')
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
