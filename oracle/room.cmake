target_link_libraries(gnomon_oracle PRIVATE CLI11::CLI11)
