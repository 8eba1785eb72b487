import type { Client } from '@assay/contract'
import type { Static, TObject } from 'typebox'

/** What a tool gets: an API client with the credential of the caller. */
export type ToolWorld = { client: Client; now: () => number }

/** A tool: name, schemas and description for the assistant, and its implementation. */
type Tool<Input extends TObject = TObject, Output extends TObject = TObject> = {
  name: string
  title: string
  /** When to use it and what it returns. An assistant chooses by this text alone. */
  description: string
  input: Input
  output: Output
  /** Whether it only reads or creates something. No tool deletes. */
  effect: 'reads' | 'adds'
  run: (input: Static<Input>, world: ToolWorld) => Promise<Static<Output>>
}

/** A tool without its type parameters, for lists of tools. */
export type AnyTool = Omit<Tool, 'run'> & {
  run: (input: Readonly<Record<string, unknown>>, world: ToolWorld) => Promise<object>
}

export function tool<Input extends TObject, Output extends TObject>(
  definition: Tool<Input, Output>,
): AnyTool {
  return {
    ...definition,
    // boundary: the protocol layer has checked the input against the very shape that types it here.
    run: (input, world) => definition.run(input as Static<Input>, world),
  }
}
