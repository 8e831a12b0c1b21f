from setuptools import find_packages, setup

setup(
    name="dyn_core",
    version="0.1.0",
    description="Rigid-body dynamics: one definition of each algorithm, compiled for each robot.",
    maintainer="The maintainers",
    maintainer_email="maintainers@dyn-suite.example",
    license="Apache-2.0",
    python_requires=">=3.10",
    install_requires=["numpy", "llvmlite", "urdfdom-py"],
    extras_require={
        "contacts": ["numba"],
        "control": ["osqp", "scipy"],
        "geometry": ["coal", "pycollada", "scipy", "trimesh"],
        "identification": ["clarabel", "scipy"],
        "numba": ["numba"],
        "parallel": ["dask", "distributed"],
        "test": ["pytest"],
        "tools": ["matplotlib", "mcap", "pyarrow", "rich", "rosbags", "typer"],
        "xacro": ["xacro"],
    },
    packages=find_packages(include=["dyn_core", "dyn_core.*"]),
    package_data={"dyn_core": ["py.typed", "*.pyi"]},
    data_files=[
        ("share/ament_index/resource_index/packages", ["resource/dyn_core"]),
        ("share/dyn_core", ["package.xml"]),
    ],
    entry_points={"console_scripts": ["dyn-core = dyn_core.cli:main"]},
    zip_safe=False,
)
