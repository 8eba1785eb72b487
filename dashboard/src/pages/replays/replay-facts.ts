import type { SessionReplay } from '@assay/contract'

export const lengthOf = ({ started_at, ended_at }: SessionReplay) =>
  Date.parse(ended_at) - Date.parse(started_at)

export const whoOf = ({ user_id, anonymous_id }: SessionReplay) => user_id ?? anonymous_id
