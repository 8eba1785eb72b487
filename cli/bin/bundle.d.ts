import type { Metafile } from 'esbuild'

export function bundleCli(outfile?: string): Promise<Metafile>
