/** Words that another word becomes when two neighbours change places: whoever writes one of them means it. */
export const SWAPS: ReadonlySet<string> = new Set(
  (
    'alter later altitude latitude angel angle angels angles arise raise arises raises arising raising barely ' +
    'barley braking barking brain brian brunt burnt carve crave carved craved carving craving casual causal ' +
    'casually causally coast coats complaint compliant complied compiled carter crater dairy diary dairies ' +
    'diaries denies denise discreet discrete elector electro exist exits fiend fined field filed fired fried ' +
    'framing farming gilded glided hearst hearts hurst hurts lions loins mantel mantle marina marian martial ' +
    'marital minuet minute minuets minutes nobel noble nuclear unclear perfect prefect perform preform performed ' +
    'preformed performs preforms pliant plaint posse poses quiet quite rouge rogue sacred scared salve slave ' +
    'satin stain signed singed signer singer signers singers signing singing signs sings sliver silver slivers ' +
    'silvers spilt split there three tilted titled tired tried tires tries trail trial trails trials treaties ' +
    'treatise unite untie united untied unites unties waist waits lairs liars paris pairs wraps warps crops corps ' +
    'clots colts crust curst blots bolts goals gaols calms clams brans barns beast beats girds grids forth froth ' +
    'torus trous'
  ).split(' '),
)
