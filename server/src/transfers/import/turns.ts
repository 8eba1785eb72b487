type InTurn = <T>(workspaceId: string, work: () => Promise<T>) => Promise<T>

/** Pieces of one workspace come one after the other, or two of them would write over each other. */
export function createTurns(): InTurn {
  // bounded: by the requests that are being answered.
  const turns = new Map<string, Promise<unknown>>()
  return (workspaceId, work) => {
    const turn = (turns.get(workspaceId) ?? Promise.resolve()).then(work, work)
    turns.set(workspaceId, turn)
    const leave = () => {
      if (turns.get(workspaceId) === turn) turns.delete(workspaceId)
    }
    turn.then(leave, leave)
    return turn
  }
}
