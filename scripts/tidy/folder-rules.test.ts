import { expect, test } from 'vitest'
import { checkFolders } from './folder-rules.ts'

const filesOf = (count: number, ending: string) =>
  Array.from({ length: count }, (_, index) => `server/src/sites/part-${index}${ending}`)

test('a folder with more files than are seen at one look is found; tests and other files are not counted', () => {
  const among = [...filesOf(30, '.test.ts'), ...filesOf(30, '.sql')]
  expect(checkFolders([...filesOf(16, '.ts'), ...among])).toEqual([])
  expect(checkFolders([...filesOf(17, '.ts'), ...among])).toMatchObject([
    { file: 'server/src/sites/', rule: 'folder size' },
  ])
})

test('files of a folder inside are not counted, and a list of one kind is as long as it is', () => {
  const inside = filesOf(16, '.ts').map((file) => file.replace('sites/', 'sites/tokens/'))
  expect(checkFolders([...filesOf(16, '.ts'), ...inside])).toEqual([])
  const commands = filesOf(40, '.ts').map((file) => file.replace('server/src/sites', 'cli/src/commands'))
  expect(checkFolders(commands)).toEqual([])
})
