/** As much of Eleventy and its Markdown reader as the site uses; neither brings types of it. */
declare module '@11ty/eleventy' {
  export type Token = {
    type: string
    tag: string
    content: string
    children: Token[] | null
    attrGet: (name: string) => string | null
    attrSet: (name: string, value: string) => void
  }
  /** `inputPath` is the page that is read. */
  export type MarkdownState = { tokens: Token[]; env: { page: { inputPath: string } } }
  export type MarkdownReader = {
    core: { ruler: { push: (name: string, rule: (state: MarkdownState) => void) => void } }
    renderer: { rules: Record<string, (tokens: Token[], index: number, ...rest: unknown[]) => string> }
  }
  export type PageData = { page: { inputPath: string }; content: string }
  export type Settings = {
    setUseGitIgnore: (isUsed: boolean) => void
    setTemplateFormats: (formats: readonly string[]) => void
    addGlobalData: (name: string, value: unknown) => void
    addTemplate: (path: string, content: string | { render: (data: PageData) => string }) => void
    amendLibrary: (name: 'md', change: (reader: MarkdownReader) => void) => void
  }
  export type Rendered = { inputPath: string; rawInput: string; content: string }
  export default class Eleventy {
    constructor(
      input: string,
      output: string,
      options: { quietMode: boolean; configPath: false; config: (settings: Settings) => void },
    )
    toJSON(): Promise<Rendered[]>
  }
}
