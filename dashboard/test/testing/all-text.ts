import { eventText } from '../../src/text/events.ts'
import { gateText } from '../../src/text/gate.ts'
import { peopleText } from '../../src/text/people.ts'
import { sqlText } from '../../src/text/sql.ts'
import { watchText } from '../../src/text/watch.ts'
import { workspaceText } from '../../src/text/workspace.ts'
import { text as common } from '../../src/text.ts'

/** All words of the dashboard, wherever they are loaded. */
export const text = {
  ...common,
  ...eventText,
  ...gateText,
  ...peopleText,
  ...sqlText,
  ...watchText,
  ...workspaceText,
}
