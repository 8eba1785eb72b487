import type { Control } from '../store/control.ts'
import type { DataSubject } from '../store/people/data-subject.ts'
import { mentions } from '../store/people/person-text.ts'
import { textsNaming, textTable } from '../store/people/person-text-table.ts'
import type { PersonalDataPlace } from '../store/people/personal-data.ts'
import { type NamingBoard, selectNamingBoards, updateNamingBoard } from './personal-data-store.ts'

/** Names, texts and questions of boards that name a person. The rest of the board stays. */
export function boardData(control: Control): PersonalDataPlace[] {
  const table = textTable({
    control,
    name: 'boards',
    method:
      'names and descriptions emptied, tiles about the person removed, all tiles where filters for them are',
    select: selectNamingBoards,
    change: async () => {},
    exported: ({ name, description, narrowing, tiles }) => ({ name, description, narrowing, tiles }),
  })
  return [
    {
      ...table,
      async erase(person: DataSubject) {
        for await (const row of textsNaming(control, selectNamingBoards, person)) {
          await updateNamingBoard(control, person.workspaceId, withoutPerson(row, person.values))
        }
      },
    },
  ]
}

function withoutPerson({ id, ...board }: NamingBoard, values: readonly string[]): Omit<NamingBoard, 'text'> {
  const isFree = (value: unknown) => !mentions(JSON.stringify(value), values)
  const isNamed = !isFree(board.name) || !isFree(board.description)
  return {
    id,
    name: isNamed ? 'Untitled' : board.name,
    description: isNamed ? '' : board.description,
    narrowing: isFree(board.narrowing) ? board.narrowing : {},
    // Without filters about the person the tiles would show more, also to those who have a link to the board.
    tiles: isFree(board.narrowing) ? board.tiles.filter(isFree) : [],
  }
}
