import { Popover } from '@base-ui/react/popover'
import { ChevronDown } from 'lucide-react'
import { useState } from 'react'
import { text } from '../../text.ts'

type DownloadMenuProps = {
  /** Of what: heard with the button. */
  title: string
  onCsv: () => void
  /** Without it there is no picture to take. */
  onPicture?: (() => void) | undefined
}

export function DownloadMenu({ title, onCsv, onPicture }: DownloadMenuProps) {
  const [isOpen, setOpen] = useState(false)
  const choices = [
    { words: text.chart.csv, save: onCsv },
    ...(onPicture === undefined ? [] : [{ words: text.chart.png, save: onPicture }]),
  ]
  return (
    <Popover.Root open={isOpen} onOpenChange={setOpen}>
      <Popover.Trigger className="button ghost compact" aria-label={text.chart.downloadOf(title)}>
        {text.chart.download}
        <ChevronDown className="icon" aria-hidden="true" />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={6} align="end" className="popover-place">
          <Popover.Popup className="menu download" aria-label={text.chart.downloadOf(title)}>
            {choices.map(({ words, save }) => (
              <button
                key={words}
                type="button"
                className="menu-item"
                onClick={() => {
                  setOpen(false)
                  save()
                }}
              >
                {words}
              </button>
            ))}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}
