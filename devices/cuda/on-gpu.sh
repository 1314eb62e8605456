#!/bin/bash
# Checks quarry-cuda on a machine with an NVIDIA device: contracts, a measured plan, a full card, lazy mapping, timings.
#
# `on-gpu.sh prepare` gathers what the check needs in target/on-gpu, on a machine that builds. `on-gpu.sh` runs it,
# on a machine that has the driver, a JDK 25 and that folder, and builds nothing. It takes a few minutes, and gives up
# after eight. Options are the JVM's.
set -euo pipefail
cd "$(dirname "$0")"

if [ "${1:-}" = prepare ]; then
  (cd ../.. && mvn -q -B -Dquick -pl devices/cuda -am package -DskipTests)
  rm -rf target/on-gpu
  mkdir -p target/on-gpu
  cp -r target/classes target/test-classes target/on-gpu/
  mvn -q -B dependency:copy-dependencies -DincludeScope=test -DoutputDirectory=target/on-gpu/lib
  echo "gathered in $PWD/target/on-gpu"
  exit 0
fi

if [ ! -d target/on-gpu ]; then
  echo "on-gpu: there is no $PWD/target/on-gpu; run 'on-gpu.sh prepare' where the project is built, and bring the folder along" >&2
  exit 2
fi
if ! jdk=$(../../.build/jdk); then
  echo "on-gpu: found no JDK 25 or newer; install one, or name it in QUARRY_JAVA_HOME" >&2
  exit 2
fi
timeout 480 "$jdk/bin/java" --enable-native-access=ALL-UNNAMED "$@" \
  -cp "target/on-gpu/classes:target/on-gpu/test-classes:target/on-gpu/lib/*" dev.quarry.cuda.OnGpu
