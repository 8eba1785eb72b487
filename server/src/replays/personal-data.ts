import type { Control } from '../store/control.ts'
import type { PersonalDataPlace } from '../store/people/personal-data.ts'
import type { Replays } from './replays.ts'
import { countReplaysOf } from './store.ts'

/** Session replays of everyone who was seen in them. */
export function replayData(control: Control, replays: Replays): PersonalDataPlace[] {
  return [
    {
      kind: 'table',
      name: 'replays',
      covers: { control: ['replays', 'replay_chunks'] },
      method: () => 'deleted',
      count: ({ workspaceId, originalIds }) => countReplaysOf(control, workspaceId, originalIds),
      erase: async ({ workspaceId, originalIds }) => void (await replays.forget(workspaceId, originalIds)),
      exported: [
        {
          name: 'replays',
          rows: ({ workspaceId, originalIds }) => replays.holdings(workspaceId, originalIds),
        },
      ],
    },
  ]
}
