import type { HealthRoom } from './scope.ts'
import { createWatch, type Watch } from './watching.ts'

export type Health = { room: HealthRoom; watch: Watch }

export function createHealth(room: HealthRoom): Health {
  return { room, watch: createWatch(room) }
}
