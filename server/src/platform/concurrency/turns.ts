type InTurn = <T>(workspaceId: string, work: () => Promise<T>) => Promise<T>

/** Work of one workspace runs one after the other, and that of several at the same time. */
export function createTurns(): InTurn {
  // bounded: by the workspaces with work under way.
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
