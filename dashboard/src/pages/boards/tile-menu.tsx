import { Menu } from '@base-ui/react/menu'
import { Ellipsis } from 'lucide-react'
import { text } from '../../text.ts'
import type { Direction, Growth } from './layout.ts'

type TileMenuProps = {
  title: string
  onMove: (direction: Direction) => void
  onGrow: (growth: Growth) => void
  onEdit: () => void
  onRename: () => void
  onRemove: () => void
}

const directions: readonly Direction[] = ['left', 'right', 'up', 'down']
const growths: readonly Growth[] = ['wider', 'narrower', 'taller', 'shorter']

/** Everything that can be done to a tile, without a pointer too. It stays open while the tile is moved. */
export function TileMenu({ title, onMove, onGrow, onEdit, onRename, onRemove }: TileMenuProps) {
  const words = text.boards
  return (
    <Menu.Root modal={false}>
      <Menu.Trigger className="button ghost compact square" aria-label={words.tileActs(title)}>
        <Ellipsis className="icon" aria-hidden="true" />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner sideOffset={6} align="end" className="menu-place">
          <Menu.Popup className="menu">
            {directions.map((direction) => (
              <Menu.Item
                key={direction}
                className="menu-item"
                closeOnClick={false}
                onClick={() => onMove(direction)}
              >
                {words.directions[direction]}
              </Menu.Item>
            ))}
            <Menu.Separator className="menu-line" />
            {growths.map((growth) => (
              <Menu.Item
                key={growth}
                className="menu-item"
                closeOnClick={false}
                onClick={() => onGrow(growth)}
              >
                {words.growths[growth]}
              </Menu.Item>
            ))}
            <Menu.Separator className="menu-line" />
            <Menu.Item className="menu-item" onClick={onEdit}>
              {words.editTile}
            </Menu.Item>
            <Menu.Item className="menu-item" onClick={onRename}>
              {words.renameTile}
            </Menu.Item>
            <Menu.Item className="menu-item" onClick={onRemove}>
              {words.removeTile}
            </Menu.Item>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  )
}
