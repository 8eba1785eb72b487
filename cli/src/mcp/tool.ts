import type { Client } from '@assay/contract'
import type { Static, TObject } from 'typebox'

/** What a tool works with: the interface of the product, with the credential of whoever asks. */
export type ToolWorld = { client: Client; now: () => number }

/** A tool as a value: name, shapes and words for the assistant, and what it does. */
export type Tool<Input extends TObject = TObject, Output extends TObject = TObject> = {
  name: string
  title: string
  /** When to use it and what it answers. An assistant chooses by these words alone. */
  description: string
  input: Input
  output: Output
  /** Whether it only looks, or makes something new. Nothing here deletes. */
  effect: 'reads' | 'adds'
  run: (input: Static<Input>, world: ToolWorld) => Promise<Static<Output>>
}

/** A tool among others of other shapes. */
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
