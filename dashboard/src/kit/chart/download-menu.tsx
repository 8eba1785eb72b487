import { Menu } from '@base-ui/react/menu'
import { text } from '../../text.ts'

type DownloadMenuProps = {
  /** Of what: heard with the button. */
  title: string
  onCsv: () => void
  /** Without it there is no picture to take. */
  onPicture?: (() => void) | undefined
}

export function DownloadMenu({ title, onCsv, onPicture }: DownloadMenuProps) {
  return (
    <Menu.Root modal={false}>
      <Menu.Trigger className="button ghost compact" aria-label={text.chart.downloadOf(title)}>
        {text.chart.download} <span aria-hidden="true">▾</span>
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner sideOffset={6} align="end" className="menu-place">
          <Menu.Popup className="menu">
            <Menu.Item className="menu-item" onClick={onCsv}>
              {text.chart.csv}
            </Menu.Item>
            {onPicture !== undefined && (
              <Menu.Item className="menu-item" onClick={onPicture}>
                {text.chart.png}
              </Menu.Item>
            )}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  )
}
