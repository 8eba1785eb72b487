import { Combobox } from '@base-ui/react/combobox'
import { text } from '../text.ts'

export type PickerItem = { value: string; label: string; hint?: string }
export type PickerGroup = { label: string; items: readonly PickerItem[] }

/** The choices, what was typed as one more, and what is chosen where it is none of them. */
export function withTyped(
  groups: readonly PickerGroup[],
  typed: string,
  chosen: string,
  isTypedFirst = false,
): { label: string; items: PickerItem[] }[] {
  const all = groups.flatMap(({ items }) => items)
  const isKnown = (value: string) =>
    all.some((item) => item.value === value || item.label.toLowerCase() === value.toLowerCase())
  const written = typed.trim()
  const own = [
    ...(written === '' || isKnown(written) ? [] : [{ value: written, label: text.picker.use(written) }]),
    ...(chosen === '' || all.some(({ value }) => value === chosen) ? [] : [{ value: chosen, label: chosen }]),
  ]
  const known = groups.map(({ label, items }) => ({ label, items: [...items] }))
  if (own.length === 0) return known
  const free = { label: '', items: own }
  return isTypedFirst ? [free, ...known] : [...known, free]
}

/** The open list, in groups. */
export function PickerList({ isLoading }: { isLoading: boolean }) {
  return (
    <Combobox.Portal>
      <Combobox.Positioner sideOffset={4} className="picker-place">
        {/* A landmark: the list stands at the end of the page, outside all others. */}
        <Combobox.Popup
          className="picker-popup"
          role="region"
          aria-label={text.picker.choices}
          aria-busy={isLoading}
        >
          <Combobox.Empty>
            <div className="picker-empty">{isLoading ? text.states.loading : text.picker.none}</div>
          </Combobox.Empty>
          <Combobox.List className="picker-list">
            {(group: PickerGroup) => (
              <Combobox.Group key={`${group.label} ${group.items[0]?.value}`} items={group.items}>
                {group.label !== '' && (
                  <Combobox.GroupLabel className="menu-label">{group.label}</Combobox.GroupLabel>
                )}
                <Combobox.Collection>
                  {(item: PickerItem) => (
                    <Combobox.Item key={item.value} value={item} className="picker-item">
                      <span className="picker-label">{item.label}</span>
                      {item.hint !== undefined && <span className="picker-hint">{item.hint}</span>}
                      <Combobox.ItemIndicator className="picker-tick">✓</Combobox.ItemIndicator>
                    </Combobox.Item>
                  )}
                </Combobox.Collection>
              </Combobox.Group>
            )}
          </Combobox.List>
        </Combobox.Popup>
      </Combobox.Positioner>
    </Combobox.Portal>
  )
}
