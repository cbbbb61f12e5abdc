"""Operations that few programs use: each file is imported when one of its names is first used."""
