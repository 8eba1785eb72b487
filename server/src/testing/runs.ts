const factor = Number(process.env.ASSAY_TEST_RUNS_FACTOR ?? 1)

/** How often a simulation is run: in every test run as often as shows it, by hand ASSAY_TEST_RUNS_FACTOR times that. */
export const runs = (usual: number): number => Math.ceil(usual * factor)
